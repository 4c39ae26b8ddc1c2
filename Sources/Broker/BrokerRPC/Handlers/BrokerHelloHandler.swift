import Broker
import BrokerAPI

extension BrokerHello: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Answer(
            version: broker.version,
            limits: broker.limits.merging(call.limits.announced) { $1 },
            policies: broker.policies(),
            apis: broker.apis(caller: call.caller),
            trustedLoopback: broker.trustedLoopback
        )
    }

    func result(from broker: Broker, for call: Call) async throws -> MethodResult {
        MethodResult(result: try await answer(from: broker, for: call).json, hello: self)
    }
}
