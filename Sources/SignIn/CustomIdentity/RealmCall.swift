public import FlowModel
public import OAuth

/// A request to a custom identity provider.
public enum RealmCall: Hashable, Sendable {
    /// Begins: the provider asks something, or knows enough.
    case startAuthorization
    /// Brings the person's answer to a challenge, with the state that came with it.
    case handleChallengeAnswer(JSONValue, stateID: String?)

    /// The last segment of the path.
    var name: String {
        switch self {
        case .startAuthorization: "startAuthorization"
        case .handleChallengeAnswer: "handleChallengeAnswer"
        }
    }

    /// The body of the request.
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

/// A question of a custom identity provider.
public struct RealmChallenge: Hashable, Sendable, Codable {
    /// The provider's name for the conversation, which goes back with the answer; nil for one that keeps none.
    public let stateID: String?
    /// The question, in the provider's own form, plain.
    public let data: JSONValue

    /// The question in a conversation of this name, unless it says another.
    public func named(_ conversation: String?) -> RealmChallenge {
        RealmChallenge(stateID: stateID ?? conversation, data: data)
    }
}

/// The answer of a custom identity provider.
public enum RealmAnswer: Hashable, Sendable {
    /// It asks the person something.
    case challenge(RealmChallenge)
    /// It knows who the person is.
    case success(ExternalIdentity)
    /// It lets nobody in.
    case failure
}
