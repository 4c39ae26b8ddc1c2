public import CustomIdentity
public import FlowModel
import Moments
import OAuth
public import OpenIDClient
public import Policies

/// The calls that flows make to identity providers.
public struct ProviderCalls: Sendable {
    let client: OpenIDClient
    private let registrations: @Sendable () -> [String: ProviderRegistration]

    /// Creates a value that makes calls to the configured providers through `client`.
    public init(
        client: OpenIDClient,
        registrations: @escaping @Sendable () -> [String: ProviderRegistration]
    ) {
        self.client = client
        self.registrations = registrations
    }

    func registration(_ name: String) -> ProviderRegistration? { registrations()[name] }

    func address(at name: String, _ request: ProviderRequest, loginHint: String?) async throws -> String {
        let registration = try require(name)
        do throws(ProviderError) {
            return try await client.address(at: registration, request, loginHint: loginHint)
        } catch {
            throw Refusal(error, of: registration)
        }
    }

    /// Returns the URL that ends a user's session at a provider, or `nil` if the provider has no sign-out endpoint.
    func signOutAddress(at name: String, state: Secret) async throws -> String? {
        let registration = try require(name)
        do throws(ProviderError) {
            return try await client.signOutAddress(at: registration, state: state)
        } catch {
            throw Refusal(error, of: registration)
        }
    }

    /// Returns the user that a provider's response names.
    ///
    /// - Throws: A `ProviderError` if the provider rejected the user, or a `Refusal` for any other failure.
    func identity(
        at name: String,
        _ request: ProviderRequest,
        _ answer: ProviderAnswer
    ) async throws -> ProviderIdentity {
        let registration = try require(name)
        do throws(ProviderError) {
            return try await client.identity(at: registration, request, answer)
        } catch {
            guard error.code != .denied else { throw error }
            throw Refusal(error, of: registration)
        }
    }

    /// Returns the user that a provider's token names.
    ///
    /// - Throws: A `ProviderError` if the token is not accepted, or a `Refusal` for any other failure.
    func identity(at name: String, brought token: BroughtToken, fresh: FreshProof?) async throws -> ProviderIdentity {
        let registration = try require(name)
        do throws(ProviderError) {
            return try await client.identity(at: registration, brought: token, fresh: fresh)
        } catch {
            guard error.code != .denied else { throw error }
            throw Refusal(error, of: registration)
        }
    }

    private func require(_ name: String) throws(Refusal) -> ProviderRegistration {
        guard let registration = registration(name) else { throw Refusals.noProvider }
        return registration
    }
}

extension Refusal {
    /// Creates the refusal that reports a provider's error.
    public init(_ error: ProviderError, of registration: ProviderRegistration) {
        self.init(error, ofProvider: registration.displayName)
    }

    init(_ error: ProviderError, ofProvider name: String) {
        let refusal: Refusal =
            switch error.code {
            case .unavailable: Refusal(.providerUnavailable, Text("refusal.providerSilent", ["provider": name]))
            case .protocolViolation, .denied, .invalidGrant:
                Refusal(.providerProtocol, Text("refusal.providerWrong", ["provider": name]))
            }
        let named = error.said.map { said in
            refusal.saying(Text("refusal.providerFails", ["provider": name, "cause": said.text]))
        }
        let told = (named ?? refusal).because(error.description)
        self = error.retryAfter.map { told.retrying(afterMs: max(1, $0.milliseconds)) } ?? told
    }
}

/// The calls that flows make to custom identity providers, and the audiences that the providers' assertions must name.
public struct RealmCalls: Sendable {
    let client: RealmClient
    /// A function that returns the `aud` values that identify this authority in assertions for a policy.
    let audiences: @Sendable (PolicyID) -> [String]

    /// Creates a value that makes calls through `client`, with the accepted `aud` values of each policy.
    public init(client: RealmClient, audiences: @escaping @Sendable (PolicyID) -> [String]) {
        self.client = client
        self.audiences = audiences
    }
}
