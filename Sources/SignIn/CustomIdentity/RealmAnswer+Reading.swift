import FlowModel
import Foundation
import OAuth
import OpenIDClient

extension RealmAnswer {
    /// The maximum length of `userName`, in bytes.
    static let longestName = 255
    /// The maximum length of `stateId`, in bytes.
    static let longestState = 1024
    /// The maximum size of a user's attributes in bytes, because they are stored in tokens.
    static let mostAttributes = 2048

    /// Parses a provider's response, and removes control characters (see ``PlainText``).
    init(_ json: JSONValue, realm: String) throws(ProviderError) {
        guard let members = json.object, let status = members["status"]?.string else {
            throw ProviderError(.protocolViolation, "\(realm) responded without a status")
        }
        switch status {
        case "challenge":
            // A JSON `null` counts as a missing `stateId`. The literal `nil` could mean a JSON `null`.
            let given = members["stateId"]
            let state: JSONValue? = given?.isNull == false ? given : .none
            if let state {
                guard let text = state.string, text.utf8.count <= Self.longestState else {
                    throw ProviderError(.protocolViolation, "\(realm) sent a stateId that is invalid or too long")
                }
            }
            self = .challenge(
                RealmChallenge(stateID: state?.string, data: PlainText.plain(members["challenge"] ?? .null))
            )
        case "success": self = .success(try Self.identity(members["userIdentity"], realm))
        case "failure": self = .failure
        default: throw ProviderError(.protocolViolation, "\(realm) responded with an unknown status")
        }
    }

    /// Parses a `userIdentity` object, and removes control characters from its attributes and its display name.
    static func identity(_ json: JSONValue?, _ realm: String) throws(ProviderError) -> ExternalIdentity {
        guard let name = json?["userName"]?.string, !name.isEmpty, name.utf8.count <= longestName,
            PlainText.isPlain(name)
        else { throw ProviderError(.protocolViolation, "\(realm) reported success without a userName") }
        let attributes = PlainText.plain(json?["attributes"] ?? .null)
        guard attributes.isNull || attributes.object != nil, attributes.bytes.count <= mostAttributes else {
            throw ProviderError(.protocolViolation, "\(realm) sent more than \(mostAttributes) bytes about a user")
        }
        return ExternalIdentity(
            realm: realm,
            userName: name,
            displayName: json?["displayName"]?.string.map { PlainText.plain($0) },
            attributes: attributes.object ?? [:]
        )
    }
}
