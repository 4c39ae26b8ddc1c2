import FlowModel
import Flows
import OAuth
import OpenIDClient

/// The identity provider that a request specifies, and the token from that provider if the request contains one.
struct ProviderHints {
    let provider: String?
    let token: BroughtToken?

    /// Reads the hints, or throws `InvalidParameters` if there is more than one token or the kind of token is unknown.
    init(provider: String?, token: [String: Secret]) throws(InvalidParameters) {
        self.provider = provider
        do throws(OAuthError) {
            self.token = token.isEmpty ? nil : try BroughtToken(token)
        } catch {
            throw InvalidParameters(Text(token.count > 1 ? "refusal.oneProviderToken" : "refusal.providerTokenName"))
        }
    }

    init(_ request: AcquireRequest) throws(InvalidParameters) {
        try self.init(provider: request.provider, token: request.providerToken)
    }

    init(_ request: StartFlowRequest) throws(InvalidParameters) {
        try self.init(provider: request.provider, token: request.providerToken)
    }

    /// Rejects hints in a request that does not involve an identity provider.
    func refuse() throws(InvalidParameters) {
        guard token == nil else {
            throw InvalidParameters(Text("refusal.providerOfOurSignIns", ["parameter": "providerToken"]))
        }
        guard provider == nil else {
            throw InvalidParameters(Text("refusal.providerOfOurSignIns", ["parameter": "provider"]))
        }
    }

    func requireProvider() throws(InvalidParameters) {
        guard token == nil || provider != nil else {
            throw InvalidParameters(Text("refusal.providerTokenNeedsProvider"))
        }
    }

    /// Returns `mode`, or a mode with a browser if the user must sign in at the identity provider.
    func mode(_ mode: AcquireRequest.Mode) -> AcquireRequest.Mode {
        provider == nil || token != nil ? mode : mode.toProvider
    }
}

extension AcquireRequest {
    /// A copy that requires a sign-in if a provider's token identifies the user, so that no cached token is returned.
    var identifying: AcquireRequest {
        guard !providerToken.isEmpty else { return self }
        var copy = self
        switch prompt {
        case .create, .select: break
        case .auto, .none, .login: copy.prompt = .login
        }
        return copy
    }
}
