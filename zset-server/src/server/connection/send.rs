//! Sending of replies, and the end of a connection.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use super::{Connection, End, Event};
use crate::resp::Requests;

/// How much, and for how long, to read after an error reply: closing while the client still sends would
/// discard the reply.
const MAX_LINGER: usize = 1024 * 1024;
const LINGER: Duration = Duration::from_secs(1);

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Sends as many bytes as the client accepts now.
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
            if self.sent == self.replies.bytes().len() {
                self.replies.clear();
                self.replies.shrink_to(self.max_kept());
                self.sent = 0;
            } else if self.sent > self.replies.bytes().len() / 2 {
                // Not after each write: moving the rest of a large reply each time would be slow.
                self.replies.remove_front(self.sent);
                self.sent = 0;
            }
            self.tell_held();
            Ok(())
        })
    }

    /// Sends as many bytes as the client accepts now, without waiting.
    pub(super) async fn send_some(&mut self) -> io::Result<()> {
        poll_fn(|cx| match self.poll_send(cx) {
            Poll::Ready(result) => Poll::Ready(result),
            Poll::Pending => Poll::Ready(Ok(())),
        })
        .await
    }

    /// Sends some bytes, waiting until the client accepts them.
    pub(super) async fn send(&mut self) -> Result<(), End> {
        poll_fn(|cx| match self.poll_others(cx) {
            Some(Event::Killed) => Poll::Ready(Err(End::Killed)),
            _ => self.poll_send(cx).map_err(End::Io),
        })
        .await
    }

    /// Sends the remaining replies and closes the connection.
    pub(super) async fn finish(&mut self) -> Result<(), End> {
        self.requests = Requests::default();
        self.tell_held();
        while self.unsent() > 0 {
            self.send().await?;
        }
        self.stream.shutdown().await?;
        self.let_go();
        if !self.is_stopping {
            // Its success does not matter.
            let _ = timeout(LINGER, self.drain()).await;
        }
        Ok(())
    }

    /// Reads and discards bytes.
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
