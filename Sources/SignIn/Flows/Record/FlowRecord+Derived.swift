import AuthorityStore
import Crypto
import FlowModel
import Foundation
import OAuth
import Policies

/// Values that are derived from the flow's seed, so that they do not have to be stored.
extension FlowRecord {
    /// Returns the id of a step, which only clients that were shown the step can know.
    func stepID(_ ordinal: Int) -> String {
        "st_" + derived("step \(ordinal)")
    }

    /// Returns 22 characters that are derived from the flow's seed and the purpose.
    func derived(_ purpose: String) -> String {
        Base64URL.encode(bytes(purpose).prefix(16))
    }

    /// The object id of the user that this flow creates, in the form of a version 4 UUID (RFC 9562 §5.4).
    var derivedUser: UserID {
        var bytes = Array(bytes("user").prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return UserID(oid: text)
    }

    /// Returns 32 bytes that are derived from the flow's seed and the purpose.
    func bytes(_ purpose: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(purpose.utf8), using: SymmetricKey(data: order.seed)))
    }
}

extension FlowRecord {
    func events(_ facts: [Transition.AuditFact], _ caller: Caller, user: UserID? = nil) -> [AuditEvent] {
        facts.map { fact in
            AuditEvent(
                fact.kind,
                owner: order.owner,
                user: user,
                client: order.client,
                policy: order.policy.description,
                correlationID: caller.correlationID,
                pid: caller.pid,
                detail: fact.detail
            )
        }
    }
}
