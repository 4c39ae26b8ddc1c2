import Broker
import BrokerAPI
import FlowModel

extension StartFlowRequest: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        var request = self
        request.correlationID = call.correlationID
        return One(FlowDocument(try await broker.startFlow(request, caller: call.caller)))
    }
}
