import Broker
import BrokerAPI

extension KeysRotate: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.rotateKeys(algorithm: alg, caller: call.caller))
    }
}
