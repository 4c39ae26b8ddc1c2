import FlowModel
import Foundation
import OAuth
import OpenIDClient

extension RealmAnswer {
    /// The longest `userName`, in bytes.
    static let longestName = 255
    /// The longest `stateId`, in bytes.
    static let longestState = 1024
    /// The most that a provider may say of a person, in bytes: it goes into tokens.
    static let mostAttributes = 2048

    /// Reads an answer; what is shown or kept of it is plain.
    init(_ json: JSONValue, realm: String) throws(ProviderError) {
        guard let members = json.object, let status = members["status"]?.string else {
            throw ProviderError(.protocolViolation, "\(realm) answered without a status")
        }
        switch status {
        case "challenge":
            // A null is as none; `nil` would be a JSON null here.
            let given = members["stateId"]
            let state: JSONValue? = given?.isNull == false ? given : .none
            if let state {
                guard let text = state.string, text.utf8.count <= Self.longestState else {
                    throw ProviderError(.protocolViolation, "\(realm) sent a stateId that is no text of 1024 bytes")
                }
            }
            self = .challenge(
                RealmChallenge(stateID: state?.string, data: PlainText.plain(members["challenge"] ?? .null))
            )
        case "success": self = .success(try Self.identity(members["userIdentity"], realm))
        case "failure": self = .failure
        default: throw ProviderError(.protocolViolation, "\(realm) answered with a status that there is not")
        }
    }

    /// Reads a `userIdentity`; what is kept of it is plain.
    static func identity(_ json: JSONValue?, _ realm: String) throws(ProviderError) -> ExternalIdentity {
        guard let name = json?["userName"]?.string, !name.isEmpty, name.utf8.count <= longestName,
            PlainText.isPlain(name)
        else { throw ProviderError(.protocolViolation, "\(realm) says success without a userName") }
        let attributes = PlainText.plain(json?["attributes"] ?? .null)
        guard attributes.isNull || attributes.object != nil, attributes.bytes.count <= mostAttributes else {
            throw ProviderError(.protocolViolation, "\(realm) says more of a person than \(mostAttributes) bytes")
        }
        return ExternalIdentity(
            realm: realm,
            userName: name,
            displayName: json?["displayName"]?.string.map { PlainText.plain($0) },
            attributes: attributes.object ?? [:]
        )
    }
}
