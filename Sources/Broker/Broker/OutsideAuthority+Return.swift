import FlowModel
import Flows
import OAuth
import OpenIDClient

extension OutsideAuthority {
    /// The registration with the address that a sign-in ends at, and the way in which its browser comes back from there.
    ///
    /// - Parameter request: The request, with its port.
    /// - Returns: Both.
    /// - Throws: `unsupported_step` if the authority does not send people back there; `invalid_request` for another port
    ///   than is registered there, or for one where no browser comes back.
    func returning(from request: AcquireRequest) throws -> (ProviderRegistration, OutsideRequest.Way) {
        switch request.mode {
        case .native, .browser:
            if let port = request.loopbackPort { return (registration, .port(try loopbackURI(at: port))) }
            if returnsHere { return (registration, .registered) }
            guard let uri = usualLoopback else {
                throw returnsElsewhere(ways: ["--paste"])
            }
            return (registration, .port(uri))
        // Codes for another device send nobody back.
        case .device:
            try request.loopbackPort.refuse(in: request.mode)
            return (registration, .registered)
        case .paste:
            try request.loopbackPort.refuse(in: request.mode)
            guard !returnsHere else { return (registration, .registered) }
            return (registration.returning(to: elsewhere), openToAll.map { .kept($0) } ?? .registered)
        }
    }

    /// Refuses the browser of another device that would not be sent back to this daemon.
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

    /// The address that it sends people to whom it does not send back to this daemon.
    private var elsewhere: String { loopbackURIs.first?.description ?? RedirectURI.outOfBand }

    /// The address where a person brings it along, if every user of this machine could listen there and take the code.
    private var openToAll: LoopbackURI? {
        loopbackURIs.first.flatMap { uri in uri.port.map { $0 >= Self.firstPortOfAll } ?? false ? uri : nil }
    }

    /// The first port at which not only root may listen (ip(7)).
    private static let firstPortOfAll: UInt16 = 1024

    /// The address on loopback that is taken by itself: for any port, else the first.
    private var usualLoopback: LoopbackURI? { loopbackURIs.first { $0.port == nil } ?? loopbackURIs.first }

    /// The address on loopback with this port (RFC 8252 §7.3); 0 means the one that is registered, or any.
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
