import Broker
import BrokerAPI

extension FlowStart: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        var request = StartFlowRequest(policy: policy, requestID: requestID)
        request.input = input
        request.account = account
        request.acrValues = acrValues
        request.maxAge = maxAge
        return One(FlowDocument(try await broker.startFlow(request, caller: call.caller)))
    }
}
