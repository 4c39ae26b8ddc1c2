import FlowModel

/// Requests that need an outside party: a provider.
///
/// None is supported yet, and each is refused by name rather than ignored.
enum ProviderHints {
    static func refuse(_ request: AcquireRequest) throws(Refusal) {
        guard request.provider == nil else {
            throw Refusal(.unsupportedStep, "identity providers are not supported by this version")
        }
        guard request.providerToken.isEmpty else {
            throw Refusal(.unsupportedStep, "a provider's token is not supported by this version")
        }
    }
}
