import Broker
import BrokerAPI
import OAuth

extension FlowAct: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let request = ActionRequest(
            flow: flow,
            step: step,
            action: action,
            submissionID: submissionID,
            value: value.map(JSONValue.string)
        )
        return One(FlowDocument(try await broker.act(request, caller: call.caller).flow))
    }
}
