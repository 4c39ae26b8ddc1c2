import FlowModel
import Flows
import OAuth
import OpenIDClient

extension OutsideAuthority {
    /// Returns the client registration to use for a sign-in, and how the browser returns from the authority.
    ///
    /// - Throws: `unsupported_step` if the authority cannot redirect the browser in the requested way;
    ///   `InvalidParameters` if the port is not registered, or not used in the requested mode.
    func returning(from request: AcquireRequest) throws -> (ProviderRegistration, OutsideRequest.Way) {
        switch request.mode {
        case .native, .browser:
            if let port = request.loopbackPort { return (registration, .port(try loopbackURI(at: port))) }
            if returnsHere { return (registration, .registered) }
            guard let uri = usualLoopback else {
                throw returnsElsewhere(ways: ["--paste"])
            }
            return (registration, .port(uri))
        // The device authorization flow does not use a redirect.
        case .device:
            try request.loopbackPort.refuse(in: request.mode)
            return (registration, .registered)
        case .paste:
            try request.loopbackPort.refuse(in: request.mode)
            guard !returnsHere else { return (registration, .registered) }
            return (registration.returning(to: elsewhere), openToAll.map { .kept($0) } ?? .registered)
        }
    }

    /// Rejects a sign-in in a browser on another device if the authority does not redirect browsers to this daemon.
    func requireReturn() throws(Refusal) {
        guard returnsHere else {
            throw returnsElsewhere(ways: loopbackURIs.isEmpty ? ["--paste"] : ["--localhost", "--paste"])
        }
    }

    private func returnsElsewhere(ways: [String]) -> Refusal {
        Refusal(
            .unsupportedStep,
            Text(
                "refusal.authorityReturnsElsewhere",
                ["authority": name, "address": elsewhere, "options": Text.or(ways)]
            )
        )
    }

    /// The redirect URI to use if the authority does not redirect to this daemon.
    private var elsewhere: String { loopbackURIs.first?.description ?? RedirectURI.outOfBand }

    /// The redirect URI on whose port any user could listen to get the authorization code, or `nil` if there is none.
    private var openToAll: LoopbackURI? {
        loopbackURIs.first.flatMap { uri in uri.port.map { $0 >= Self.firstPortOfAll } ?? false ? uri : nil }
    }

    /// The lowest port that a process can listen on without root privileges (ip(7)).
    private static let firstPortOfAll: UInt16 = 1024

    private var usualLoopback: LoopbackURI? { loopbackURIs.first { $0.port == nil } ?? loopbackURIs.first }

    /// Returns the loopback redirect URI with the given port (RFC 8252 §7.3), or the default URI for port 0.
    private func loopbackURI(at port: UInt16) throws -> LoopbackURI {
        if port == 0, let uri = usualLoopback { return uri }
        if let uri = loopbackURIs.first(where: { $0.port == nil || $0.port == port }) { return uri.with(port: port) }
        guard let fixed = loopbackURIs.lazy.compactMap(\.port).first else {
            throw Refusal(
                .unsupportedStep,
                Text(
                    "refusal.authorityReturnsToNoPort",
                    ["authority": name, "option": returnsHere ? "--browser" : "--paste"]
                )
            )
        }
        throw InvalidParameters(Text("refusal.loopbackPortFixed", ["port": fixed, "authority": name]))
    }
}
