//! The server's clock.
