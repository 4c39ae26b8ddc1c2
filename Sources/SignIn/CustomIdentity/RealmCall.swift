public import FlowModel
public import OAuth

/// A request to a custom identity provider.
public enum RealmCall: Hashable, Sendable {
    /// The request that starts an authorization, to which the provider responds with a challenge or an identity.
    case startAuthorization
    /// The request that contains the user's answer to a challenge and the challenge's `stateId`.
    case handleChallengeAnswer(JSONValue, stateID: String?)

    /// The last path segment of the request's URL.
    var name: String {
        switch self {
        case .startAuthorization: "startAuthorization"
        case .handleChallengeAnswer: "handleChallengeAnswer"
        }
    }

    func body(headers: [String: String]) -> JSONValue {
        var members: [String: JSONValue] = ["headers": .object(headers.mapValues { .string($0) })]
        switch self {
        case .startAuthorization: break
        case .handleChallengeAnswer(let answer, let stateID):
            members["challengeAnswer"] = answer
            members["stateId"] = stateID.map { .string($0) }
        }
        return .object(members)
    }
}

/// A challenge from a custom identity provider.
public struct RealmChallenge: Hashable, Sendable, Codable {
    /// The `stateId` that must be sent back with the answer, or `nil` if the provider does not use a `stateId`.
    public let stateID: String?
    /// The challenge in the provider's own format, without control characters.
    public let data: JSONValue

    /// Returns the challenge, with `conversation` as its `stateId` if it has no `stateId` of its own.
    public func named(_ conversation: String?) -> RealmChallenge {
        RealmChallenge(stateID: stateID ?? conversation, data: data)
    }
}

/// A response from a custom identity provider.
public enum RealmAnswer: Hashable, Sendable {
    /// The provider requires an answer from the user.
    case challenge(RealmChallenge)
    /// The provider has identified the user.
    case success(ExternalIdentity)
    /// The provider rejects the user.
    case failure
}
