import BrokerRPC
import NIOCore
import ProgramConfiguration
import Systemd

extension BrokerSocket {
    static func open(
        _ wiring: Wiring,
        _ sockets: DaemonSockets,
        _ parts: Parts,
        on group: any EventLoopGroup
    ) async throws -> BrokerSocket {
        let configured = wiring.current.value.configuration.limits
        var limits = SocketLimits()
        limits.connectionsPerUID = configured.connectionsPerUid
        limits.requestsPerSecondPerUID = configured.requestsPerSecondPerUid
        do {
            return try await open(
                sockets.broker,
                broker: parts.broker,
                administration: parts.administration,
                limits: limits,
                clock: parts.clock,
                logger: wiring.log.logger("socket"),
                group: group
            )
        } catch let error as UnixSocketError {
            throw StartFailure(error.description)
        }
    }
}
