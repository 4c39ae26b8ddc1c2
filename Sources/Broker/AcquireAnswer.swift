public import FlowModel
public import Moments

/// What `token.acquire` answers.
public enum AcquireAnswer: Sendable {
    /// A token, and how long the same request may be answered with it.
    case token(AcquiredToken, Reuse)
    /// A flow that must be answered first; `joined` if somebody else of the same uid had begun it.
    case flow(Flow, joined: Bool)

    /// How long an answer may be given again without asking the cache.
    public struct Reuse: Hashable, Sendable {
        /// The token's end less the validity that was asked for, or the end of `maxAge`, whichever is first.
        public let until: Deadline
        /// The generation of the uid before anything was read for the answer; with another one it is stale.
        public let generation: Int64
    }
}
