//! How replies are sent, and how a connection ends.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use super::{Connection, End, Event};
use crate::resp::Requests;

/// What is still read, and for how long, of a client that was told what is wrong: to close while it
/// writes would take the answer from it.
const MAX_LINGER: usize = 1024 * 1024;
const LINGER: Duration = Duration::from_secs(1);

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Sends what the client takes now, all of it or not.
    pub(super) fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let unsent = &self.replies.bytes()[self.sent..];
        if unsent.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let result = Pin::new(&mut self.stream).poll_write(cx, unsent);
        self.client.session_mut().buffered.is_blocked = result.is_pending();
        result.map(|written| {
            let written = written?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.sent += written;
            self.client.session_mut().buffered.sent += written as u64;
            if self.sent == self.replies.bytes().len() {
                self.replies.clear();
                self.replies.shrink_to(self.max_kept());
                self.sent = 0;
            } else if self.sent > self.replies.bytes().len() / 2 {
                // Not each time, or a large reply would be moved again and again.
                self.replies.remove_front(self.sent);
                self.sent = 0;
            }
            self.tell_held();
            Ok(())
        })
    }

    /// Sends what the client takes now, and waits for nothing.
    pub(super) async fn send_some(&mut self) -> io::Result<()> {
        poll_fn(|cx| match self.poll_send(cx) {
            Poll::Ready(result) => Poll::Ready(result),
            Poll::Pending => Poll::Ready(Ok(())),
        })
        .await
    }

    /// Sends something, and waits for the client to take it. Who takes too little is sent away.
    pub(super) async fn send(&mut self) -> Result<(), End> {
        poll_fn(|cx| match self.poll_others(cx) {
            Some(Event::Killed) => Poll::Ready(Err(End::Killed)),
            _ => self.poll_send(cx).map_err(End::Io),
        })
        .await
    }

    /// Sends the rest, and closes.
    pub(super) async fn finish(&mut self) -> Result<(), End> {
        self.requests = Requests::default();
        self.tell_held();
        while self.unsent() > 0 {
            self.send().await?;
        }
        self.stream.shutdown().await?;
        self.let_go();
        if !self.is_stopping {
            // Whether it takes part does not matter.
            let _ = timeout(LINGER, self.drain()).await;
        }
        Ok(())
    }

    /// Reads what nobody asks for.
    async fn drain(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        let mut left = MAX_LINGER;
        while left > 0 {
            match self.stream.read(&mut buffer).await? {
                0 => break,
                len => left = left.saturating_sub(len),
            }
        }
        Ok(())
    }
}
