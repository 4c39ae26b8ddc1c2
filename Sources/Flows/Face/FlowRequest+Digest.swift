import Crypto
import FlowModel
import Foundation
import OAuth

extension FlowRequest {
    /// What the caller asked for, in its own words; nothing where the request has no id.
    ///
    /// What became of those words is no part of it: which account, policy or lack they come to may change between a
    /// request and its repetition.
    var digest: String? {
        guard requestID != nil else { return nil }
        let method: JSONValue = pending == nil ? "flow.start" : "token.acquire"
        let text = JSONValue.array([method, asked]).bytes
        return Base64URL.encode(Data(SHA256.hash(data: Data(text))))
    }
}
