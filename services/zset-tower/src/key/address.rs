//! Addresses as keys.

use std::net::{IpAddr, Ipv6Addr};

/// The network that a provider assigns to one customer.
pub(super) const IPV6_PREFIX: u8 = 64;

/// Returns the network of an address, as the key of a client. An IPv4 address, mapped to IPv6 or
/// not, is its own network. Of an IPv6 address, the first `ipv6_prefix` bits are kept, and the
/// others are zero. **O(1)**.
///
/// A customer usually has a whole /64 and can use a different address for each request, so single
/// IPv6 addresses are useless as keys.
///
/// # Examples
///
/// ```
/// use std::net::IpAddr;
/// use zset_tower::key::network;
///
/// let network_of = |address: &str| network(address.parse::<IpAddr>().unwrap(), 64).to_string();
/// assert_eq!(network_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
/// assert_eq!(network_of("::ffff:192.0.2.7"), "192.0.2.7");
/// assert_eq!(network_of("192.0.2.7"), "192.0.2.7");
/// ```
#[inline]
pub fn network(address: IpAddr, ipv6_prefix: u8) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let host_bits = 128_u32.saturating_sub(ipv6_prefix.into());
            let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
            Ipv6Addr::from_bits(address.to_bits() & mask).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_any_length_are_masks() {
        let address: IpAddr = "2001:db8:1:2:3:4:5:6".parse().unwrap();
        for (prefix, expected) in [
            (0, "::"),
            (56, "2001:db8:1::"),
            (64, "2001:db8:1:2::"),
            (127, "2001:db8:1:2:3:4:5:6"),
            (128, "2001:db8:1:2:3:4:5:6"),
            (255, "2001:db8:1:2:3:4:5:6"),
        ] {
            assert_eq!(network(address, prefix).to_string(), expected, "{prefix}");
        }
    }
}
