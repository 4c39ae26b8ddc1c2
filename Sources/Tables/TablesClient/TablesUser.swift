public import OAuth
import Synchronization

/// A user who signed in through the API's sign-in routes.
public struct TablesUser: Hashable, Sendable {
    /// The user's id in the API.
    public let id: String
    /// The token that the API issued for the user.
    public let token: Secret

    /// Parses the API's response to a sign-in, which has the form `{"authenticationToken","user":{"userId"}}`.
    init?(json: JSONValue?) {
        guard let id = json?["user"]?["userId"]?.string, let token = json?["authenticationToken"]?.string, !id.isEmpty
        else { return nil }
        self.id = id
        self.token = Secret(token)
    }
}

/// A token that a program got from the identity provider.
public enum ProviderToken: Hashable, Sendable {
    /// An ID token (OpenID Connect Core §2).
    case idToken(Secret)
    /// An OAuth access token.
    case accessToken(Secret)

    var body: JSONValue {
        switch self {
        case .idToken(let token): ["id_token": .string(token.reveal())]
        case .accessToken(let token): ["access_token": .string(token.reveal())]
        }
    }
}

/// The signed-in user and the state of a sign-in, shared by a client and its filtered copies.
final class SharedSignIn: Sendable {
    private struct State {
        var user: TablesUser?
        var isUnderWay = false
    }

    private let state = Mutex(State())

    var user: TablesUser? { state.withLock { $0.user } }

    /// Runs `signIn` and stores the user that it returns, or returns `nil` if another sign-in is in progress.
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

    func forget() { state.withLock { $0.user = nil } }
}
