import Broker
import BrokerAPI

extension RPCDiscover: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Answer(methods: MethodTable.entries.map(\.description), version: broker.version)
    }
}
