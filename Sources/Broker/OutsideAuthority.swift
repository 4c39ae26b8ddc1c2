import FlowModel

/// Requests that need an outside party: another device, a provider.
///
/// None is supported yet, and each is refused by name rather than ignored.
enum OutsideAuthority {
    static func refuse(_ mode: AcquireRequest.Mode) throws(Refusal) {
        switch mode {
        case .native, .browser: return
        case .device: throw Refusal(.unsupportedStep, "mode device is not supported by this version")
        }
    }

    static func refuse(_ request: AcquireRequest) throws(Refusal) {
        try refuse(request.mode)
        guard request.provider == nil else {
            throw Refusal(.unsupportedStep, "identity providers are not supported by this version")
        }
        guard request.providerToken.isEmpty else {
            throw Refusal(.unsupportedStep, "a provider's token is not supported by this version")
        }
    }
}
