import Crypto
import FlowModel
import Foundation
import OAuth
import Policies

extension FlowRequest {
    /// What was asked for, whoever asks and when; nothing where the request has no id.
    ///
    /// What the authority finds lacking is no part of it: that may change between a request and its repetition.
    var digest: String? {
        guard requestID != nil else { return nil }
        let asked = Asked(
            method: pending == nil ? "flow.start" : "token.acquire",
            client: client,
            policy: policy.description,
            want: want,
            user: requirement.user,
            entrance: requirement.entrance,
            joinKey: joinKey,
            prefill: prefill
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return Base64URL.encode(Data(SHA256.hash(data: try encoder.encode(asked))))
        } catch {
            preconditionFailure("a request is JSON: \(error)")
        }
    }

    private struct Asked: Encodable {
        let method: String
        let client: String
        let policy: String
        let want: Flow.Want
        let user: RequiredUser?
        let entrance: Requirement.Entrance
        let joinKey: String?
        let prefill: [String: JSONValue]
    }
}
