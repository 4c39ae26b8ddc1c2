public import FlowModel
public import Moments

/// The answer to `token.acquire`.
public enum AcquireAnswer: Sendable {
    /// A token, and the time for which the same request may be answered with it.
    case token(AcquiredToken, Reuse)
    /// A flow that must be completed first; `joined` if another request of the same uid had begun it.
    case flow(Flow, joined: Bool)

    /// The conditions under which an answer may be repeated without asking the cache.
    public struct Reuse: Hashable, Sendable {
        /// The token's end less the required validity, or the end of `maxAge`, whichever is first.
        public let until: Deadline
        /// The generation of the uid before anything was read for the answer; with another one it is stale.
        public let generation: Int64
        /// The record of the token's use, where it is renewed ahead of time; every answer is noted there.
        public let use: TokenUseRecord?
    }
}
