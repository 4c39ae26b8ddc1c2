import Broker
import BrokerAPI
import Moments
import OAuth

/// The result of a handler, with its effects on the connection.
struct MethodResult: Sendable {
    /// The member `result`.
    let result: JSONValue
    /// The conditions under which the same request may be answered in the same way; nil if it may not.
    var memo: Memo?
    /// The caller's introduction, for the connection's later calls.
    var hello: BrokerHello?
    /// The notifications that are to follow over the connection.
    var subscription: TokenSubscription?

    /// The conditions under which an answer may be repeated.
    struct Memo: Hashable, Sendable {
        /// The account whose use is recorded.
        let account: String
        /// The uid's generation before anything was read.
        let generation: Int64
        /// The time until which it may be repeated.
        let usableUntil: Deadline
        /// The record of the token's use, if there is one.
        var use: TokenUseRecord?
    }
}
