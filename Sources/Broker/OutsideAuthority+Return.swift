import FlowModel
import OAuth
import OpenIDClient

extension OutsideAuthority {
    /// The registration with the address that a sign-in ends at: the one that this daemon serves, or a port of the caller's.
    ///
    /// - Parameter request: The request, with its port.
    /// - Returns: The registration.
    /// - Throws: `unsupported_step` if the authority does not send people back there; `invalid_request` for another port
    ///   than is registered there.
    func returning(from request: AcquireRequest) throws -> ProviderRegistration {
        try request.loopbackPort.refuse(with: request.mode)
        switch request.mode {
        case .native, .browser:
            try requireReturn()
            return registration
        // Codes for another device send nobody back.
        case .device: return registration
        case .paste:
            guard let port = request.loopbackPort else {
                // Nothing has to listen there.
                return returnsHere ? registration : registration.returning(to: elsewhere)
            }
            return registration.returning(to: try loopbackURI(at: port).description)
        }
    }

    /// Refuses a browser that would not be sent back to this daemon.
    func requireReturn() throws(Refusal) {
        guard returnsHere else {
            let ways = loopbackURIs.isEmpty ? "--paste" : "--localhost or --paste"
            throw Refusal(
                .unsupportedStep,
                "\(name) sends people back to \(elsewhere) only; sign in by \(ways)"
            )
        }
    }

    /// The address that it sends people to whom it does not send back to this daemon.
    private var elsewhere: String { loopbackURIs.first?.description ?? RedirectURI.outOfBand }

    /// The address on loopback with this port (RFC 8252 §7.3).
    private func loopbackURI(at port: UInt16) throws -> LoopbackURI {
        if let uri = loopbackURIs.first(where: { $0.port == nil || $0.port == port }) { return uri.with(port: port) }
        guard let fixed = loopbackURIs.lazy.compactMap(\.port).first else {
            throw Refusal(
                .unsupportedStep,
                "\(name) sends nobody back to a port of this machine; sign in by \(returnsHere ? "--browser" : "--paste")"
            )
        }
        throw OAuthError.invalidRequest(
            "The parameter loopbackPort must be \(fixed), which is registered at \(name)"
        )
    }
}
