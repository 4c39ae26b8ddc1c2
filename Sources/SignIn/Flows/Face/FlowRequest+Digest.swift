import Crypto
import FlowModel
import Foundation
import OAuth

extension FlowRequest {
    /// A digest of the caller's request, in its own words; nil if the request has no id.
    ///
    /// The account, policy and requirement that it was resolved to are left out: they may change between a request and
    /// its repetition.
    var digest: String? {
        guard requestID != nil else { return nil }
        let method: JSONValue = pending == nil ? "flow.start" : "token.acquire"
        let text = JSONValue.array([method, asked]).bytes
        return Base64URL.encode(Data(SHA256.hash(data: Data(text))))
    }
}
