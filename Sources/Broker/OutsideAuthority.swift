import FlowModel

/// What would have to be asked of somebody outside: a browser, another device, a provider.
///
/// None of it is built yet, and each is refused by name rather than passed over.
enum OutsideAuthority {
    static func refuse(_ request: AcquireRequest) throws(Refusal) {
        guard request.mode == .native else {
            throw Refusal(.unsupportedStep, "mode \(request.mode.rawValue) is not supported by this version")
        }
        guard request.provider == nil else {
            throw Refusal(.unsupportedStep, "identity providers are not supported by this version")
        }
        guard request.providerToken.isEmpty else {
            throw Refusal(.unsupportedStep, "a provider's token is not supported by this version")
        }
    }
}
