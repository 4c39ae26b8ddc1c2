import FlowModel
import Flows
import OAuth
import OpenIDClient

/// The provider outside that a request names, and its token if the caller brings one.
struct ProviderHints {
    let provider: String?
    let token: BroughtToken?

    /// Reads the hints.
    ///
    /// - Throws: `InvalidParameters` unless it is one token of a known name.
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

    /// Refuses hints where no provider signs in: at an outside authority, or in a flow that steps up.
    func refuse() throws(InvalidParameters) {
        guard token == nil else {
            throw InvalidParameters(Text("refusal.providerOfOurSignIns", ["parameter": "providerToken"]))
        }
        guard provider == nil else {
            throw InvalidParameters(Text("refusal.providerOfOurSignIns", ["parameter": "provider"]))
        }
    }

    /// Refuses a token that does not say whose it is.
    func requireProvider() throws(InvalidParameters) {
        guard token == nil || provider != nil else {
            throw InvalidParameters(Text("refusal.providerTokenNeedsProvider"))
        }
    }

    /// The place at which a person is asked: a way to a provider leads through a browser.
    func mode(_ mode: AcquireRequest.Mode) -> AcquireRequest.Mode {
        provider == nil || token != nil ? mode : mode.toProvider
    }
}

extension AcquireRequest {
    /// The same request where the brought token says who the person is: nothing at hand serves it.
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
