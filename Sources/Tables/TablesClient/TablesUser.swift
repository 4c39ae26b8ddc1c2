public import OAuth
import Synchronization

/// A person who has signed in at the API's own addresses.
public struct TablesUser: Hashable, Sendable {
    /// The person's id at the API.
    public let id: String
    /// The token that the API has given for them.
    public let token: Secret

    /// Reads what the API says of a sign-in: `{"authenticationToken","user":{"userId"}}`.
    init?(json: JSONValue?) {
        guard let id = json?["user"]?["userId"]?.string, let token = json?["authenticationToken"]?.string, !id.isEmpty
        else { return nil }
        self.id = id
        self.token = Secret(token)
    }
}

/// A provider's own token, which a program has got there by itself.
public enum ProviderToken: Hashable, Sendable {
    /// An ID token (OpenID Connect Core §2).
    case idToken(Secret)
    /// An access token.
    case accessToken(Secret)

    /// The body that the API takes.
    var body: JSONValue {
        switch self {
        case .idToken(let token): ["id_token": .string(token.reveal())]
        case .accessToken(let token): ["access_token": .string(token.reveal())]
        }
    }
}

/// The sign-in that clients which were made from one share: its person, and if one is under way.
final class SharedSignIn: Sendable {
    private struct State {
        var user: TablesUser?
        var isUnderWay = false
    }

    private let state = Mutex(State())

    var user: TablesUser? { state.withLock { $0.user } }

    /// Runs a sign-in and keeps its person; false if one is under way already.
    func run(_ signIn: () async throws -> TablesUser) async throws -> TablesUser? {
        let mayBegin = state.withLock { state in
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        guard mayBegin else { return nil }
        defer { state.withLock { $0.isUnderWay = false } }
        let user = try await signIn()
        state.withLock { $0.user = user }
        return user
    }

    /// Forgets the person.
    func forget() { state.withLock { $0.user = nil } }
}
