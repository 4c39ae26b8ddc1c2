import FlowModel
import OAuth
import Policies

@testable import CustomIdentity

extension FuzzedInput {
    /// The response of an API connector or of a custom identity provider.
    static let identityAnswers = FuzzedInput(name: "connector-realm-answers") { bytes in
        guard let kind = bytes.first, let json = try? StrictJSON.parse(bytes.dropFirst()) else { return }
        if kind & 1 == 0 { try checkRealm(json) } else { try checkConnector(json, kind) }
    }

    private static func checkConnector(_ json: JSONValue, _ kind: UInt8) throws {
        let status = [200, 400, 409, 500][Int(kind >> 1) % 4]
        for place in [Connector.Place.afterFederation, .beforeUserCreated, .beforeToken] {
            switch try? ConnectorAnswer(status, json, at: place, name: "c") {
            case .proceed(let claims)?:
                try require(status == 200, "a status of \(status) lets a flow go on")
                try require(JSONValue.object(claims).bytes.count <= 2_048, "an answer says too much")
                try require(Plain.plain(.object(claims)) == .object(claims), "a claim is not plain")
                let own: Set = ["version", "action", "status", "userMessage"]
                try require(own.isDisjoint(with: claims.keys), "a member of the answer becomes a claim")
            case .block(let message)?, .invalid(let message)?:
                try require(place != .beforeToken, "a connector refuses a token")
                try require(!message.isEmpty && Plain.plain(message) == message, "a message is not plain")
            case nil: break
            }
        }
    }

    private static func checkRealm(_ json: JSONValue) throws {
        switch try? RealmAnswer(json, realm: "r") {
        case .success(let identity)?:
            try require(json["status"] == "success", "a user is signed in without success")
            let name = identity.userName
            try require(!name.isEmpty && name.utf8.count <= 255 && Plain.isPlain(name), "a name is not plain")
            let attributes = JSONValue.object(identity.attributes)
            try require(attributes.bytes.count <= 2_048, "an answer says too much of a person")
            try require(Plain.plain(attributes) == attributes, "an attribute is not plain")
            try require(identity.displayName.map { Plain.plain($0) == $0 } ?? true, "a displayed name is not plain")
        case .challenge(let challenge)?:
            try require((challenge.stateID?.utf8.count ?? 0) <= 1_024, "a state is too long")
            try require(Plain.plain(challenge.data) == challenge.data, "a challenge is not plain")
        case .failure?, nil: break
        }
    }
}

/// The type that cleans texts from external services.
///
/// The module `OAuth` has another type `PlainText`, which is for terminals.
private typealias Plain = CustomIdentity.PlainText
