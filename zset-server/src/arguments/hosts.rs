//! Hosts, by address or by name.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};

/// Resolves a host and appends its addresses.
pub(super) fn add(host: &str, port: u16, addresses: &mut Vec<SocketAddr>) -> Result<(), String> {
    let found = (host, port)
        .to_socket_addrs()
        .map_err(|error| format!("--bind: cannot resolve {host:?}: {error}"))?;
    for address in present(found.collect()) {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    Ok(())
}

/// Returns the addresses that this machine has: a name may resolve to an IPv6 address on a machine
/// without IPv6. If the machine has none of them, all are returned, so that listening reports the error.
fn present(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let is_present = |address: &SocketAddr| {
        // Any other error is reported when the server listens.
        TcpListener::bind((address.ip(), 0)).map_or_else(|error| !is_absent(&error), |_| true)
    };
    let present: Vec<_> = addresses.iter().copied().filter(is_present).collect();
    if present.is_empty() { addresses } else { present }
}

/// Returns whether an error means that the machine lacks an address or its whole family.
fn is_absent(error: &io::Error) -> bool {
    #[cfg(unix)]
    const NO_SUCH_KIND: i32 = rustix::io::Errno::AFNOSUPPORT.raw_os_error();
    #[cfg(windows)]
    const NO_SUCH_KIND: i32 = 10047;
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(NO_SUCH_KIND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_the_machine_lacks_are_left_out_if_it_has_others() {
        let here: SocketAddr = "127.0.0.1:7".parse().expect("an address");
        // Reserved for documentation, so not assigned to any machine: RFC 5737.
        let nowhere = "192.0.2.1:7".parse().expect("an address");
        assert_eq!(present(vec![nowhere, here]), [here]);
        assert_eq!(present(vec![nowhere]), [nowhere]);
    }

    #[test]
    #[cfg(unix)]
    fn only_addresses_that_the_machine_lacks_are_left_out() {
        use rustix::io::Errno;

        for (error, is_left_out) in [
            (Errno::ADDRNOTAVAIL, true),
            (Errno::AFNOSUPPORT, true),
            (Errno::ACCESS, false),
            (Errno::MFILE, false),
        ] {
            assert_eq!(is_absent(&error.into()), is_left_out, "{error}");
        }
    }

    #[test]
    fn an_address_that_is_given_twice_counts_once() {
        let mut addresses = Vec::new();
        for host in ["127.0.0.1", "localhost", "127.0.0.1"] {
            add(host, 7, &mut addresses).expect("it is a host");
        }
        let first = "127.0.0.1:7".parse().expect("an address");
        assert_eq!(addresses.iter().filter(|address| **address == first).count(), 1);
    }
}
