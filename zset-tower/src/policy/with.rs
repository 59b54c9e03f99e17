//! Builder methods of a policy.

use http::HeaderValue;
use zset_std::Quota;

use super::{Policy, PolicyError};
use crate::request_head::RequestHead;
use crate::structured;

impl Policy {
    /// Returns the policy with a condition: it applies only to requests for which `condition`
    /// returns `true`. **O(1)**.
    pub fn when(
        mut self,
        condition: impl Fn(&RequestHead<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.condition = Some(Box::new(condition));
        self
    }

    /// Returns the policy with a cost: the units that a request takes, instead of one. **O(1)**.
    /// See the example of [`with_quota_unit`](Self::with_quota_unit).
    ///
    /// A request of cost 0 is always allowed. One whose cost exceeds the limit never is: it is
    /// rejected with status 413, without `Retry-After`.
    pub fn with_cost(
        mut self,
        cost: impl Fn(&RequestHead<'_>) -> u32 + Send + Sync + 'static,
    ) -> Self {
        self.cost = Some(Box::new(cost));
        self
    }

    /// Returns the policy with a quota to show in `RateLimit-Policy`: that of its limiter.
    /// **O(1)**.
    ///
    /// Without it, the header shows the limit alone. With it, `w` is the time in which the limit
    /// comes back at the rate of the quota, in whole seconds, rounded up: ten a second, and up to
    /// fifty at once, are shown as `q=50;w=5`.
    pub fn with_quota(mut self, quota: Quota) -> Self {
        self.quota = Some(quota);
        self.render();
        self
    }

    /// Returns the policy with a unit of its quota to show in `RateLimit-Policy`, such as
    /// `content-bytes`, if its [cost](Self::with_cost) is not in requests. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the unit is not printable ASCII.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use http::header::CONTENT_LENGTH;
    /// use zset_std::Quota;
    /// use zset_tower::key::Global;
    /// use zset_tower::{MissingKey, Policy};
    ///
    /// // A megabyte a minute. A request that does not declare its length is rejected.
    /// let quota = Quota::new(1_000_000, Duration::from_secs(60))?;
    /// let policy = Policy::funnel("uploads", quota, Global, MissingKey::Allow)?
    ///     .with_quota_unit("content-bytes")?
    ///     .with_cost(|head| {
    ///         let length = head.headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok());
    ///         length.and_then(|it| it.parse().ok()).unwrap_or(u32::MAX)
    ///     });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_quota_unit(mut self, unit: &str) -> Result<Self, PolicyError> {
        self.unit = Some(structured::string(unit).ok_or(PolicyError::InvalidUnit)?);
        self.render();
        Ok(self)
    }

    /// Returns the policy with a partition key to show in both headers, as `pk`: it tells a client
    /// which of its requests share a quota. **O(1)**.
    ///
    /// A request for which `partition_key` returns `None` has none. The key is shown as it is, so
    /// for a secret, such as a token, return a hash. Use what the policy's [`Key`](crate::Key) is
    /// found from: different keys of the limiter need different partition keys.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use http::HeaderName;
    /// use zset_std::Quota;
    /// use zset_tower::key::Header;
    /// use zset_tower::{MissingKey, Policy};
    ///
    /// let tenant = Header::new(HeaderName::from_static("x-tenant"));
    /// let quota = Quota::new(100, Duration::from_secs(60))?;
    /// // RateLimit-Policy: "tenant";q=100;w=60;pk=:YWNtZQ==:
    /// let policy = Policy::window("tenant", quota, tenant, MissingKey::deny())?
    ///     .with_partition_key(|head| Some(head.headers.get("x-tenant")?.as_bytes().to_vec()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_partition_key<B: AsRef<[u8]>>(
        mut self,
        partition_key: impl Fn(&RequestHead<'_>) -> Option<B> + Send + Sync + 'static,
    ) -> Self {
        self.partition_key = Some(Box::new(move |head| {
            let key = structured::byte_sequence(partition_key(head)?.as_ref());
            Some(format!(";pk={key}"))
        }));
        self
    }

    /// Renders what does not change.
    fn render(&mut self) {
        self.item = self.quota.and_then(|quota| {
            let limit = quota.capacity();
            Some((limit, HeaderValue::try_from(self.item(limit, "")).ok()?))
        });
    }
}
