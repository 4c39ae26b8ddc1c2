import Moments
import OAuth

/// The result of a handler, with what it means for the connection.
struct MethodResult: Sendable {
    /// The member `result`.
    let result: JSONValue
    /// Conditions under which the same request may be answered in the same way; nil if it may not.
    var memo: Memo?
    /// The client of the connection's calls that name none, from now on.
    var client: String?

    /// Conditions under which an answer may be given again.
    struct Memo: Hashable, Sendable {
        /// The account whose use is noted.
        let account: String
        /// The uid's generation before anything was read.
        let generation: Int64
        /// The end of the time in which it may be given.
        let usableUntil: Deadline
    }
}
