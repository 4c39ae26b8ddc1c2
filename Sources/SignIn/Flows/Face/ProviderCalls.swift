public import CustomIdentity
public import FlowModel
import Moments
import OAuth
public import OpenIDClient
public import Policies

/// Calls from flows to identity providers.
public struct ProviderCalls: Sendable {
    let client: OpenIDClient
    private let registrations: @Sendable () -> [String: ProviderRegistration]

    /// Creates calls to the configured providers through a client.
    public init(
        client: OpenIDClient,
        registrations: @escaping @Sendable () -> [String: ProviderRegistration]
    ) {
        self.client = client
        self.registrations = registrations
    }

    /// Returns the provider that is currently configured under a name, or `nil` if there is none.
    func registration(_ name: String) -> ProviderRegistration? { registrations()[name] }

    /// Returns the URL at which a user signs in with a provider.
    func address(at name: String, _ request: ProviderRequest, loginHint: String?) async throws -> String {
        let registration = try require(name)
        do throws(ProviderError) {
            return try await client.address(at: registration, request, loginHint: loginHint)
        } catch {
            throw Refusal(error, of: registration)
        }
    }

    /// Returns the URL that ends a user's session at a provider, or `nil` if the provider has no such endpoint.
    func signOutAddress(at name: String, state: Secret) async throws -> String? {
        let registration = try require(name)
        do throws(ProviderError) {
            return try await client.signOutAddress(at: registration, state: state)
        } catch {
            throw Refusal(error, of: registration)
        }
    }

    /// Returns the user authenticated by a provider's response.
    ///
    /// Throws `ProviderError` only if the provider rejected the user.
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

    /// Returns the user identified by a token that a provider has issued to the caller.
    ///
    /// Throws `ProviderError` only if the token is invalid or was issued to another client.
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

    /// Creates the refusal that reports an error of the provider with the given name.
    init(_ error: ProviderError, ofProvider name: String) {
        let refusal: Refusal =
            switch error.code {
            case .unavailable: Refusal(.providerUnavailable, Text("refusal.providerSilent", ["provider": name]))
            case .protocolViolation, .denied, .invalidGrant:
                Refusal(.providerProtocol, Text("refusal.providerWrong", ["provider": name]))
            }
        let told = refusal.because(error.description)
        self = error.retryAfter.map { told.retrying(afterMs: max(1, $0.milliseconds)) } ?? told
    }
}

/// Calls to custom identity providers, with the audiences of their assertions.
public struct RealmCalls: Sendable {
    /// The client for providers that send challenges.
    let client: RealmClient
    /// Returns the `aud` values that identify this authority in assertions for a policy.
    let audiences: @Sendable (PolicyID) -> [String]

    /// Creates calls through a client.
    ///
    /// - Parameters:
    ///   - client: The client for providers that send challenges.
    ///   - audiences: Returns the `aud` values that identify this authority in assertions for a policy.
    public init(client: RealmClient, audiences: @escaping @Sendable (PolicyID) -> [String]) {
        self.client = client
        self.audiences = audiences
    }
}
