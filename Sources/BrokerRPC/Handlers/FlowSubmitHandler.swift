import Broker
import BrokerAPI

extension FlowSubmit: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let request = SubmitRequest(
            flow: flow,
            step: step,
            submissionID: submissionID,
            answers: answers
        )
        let answer = try await broker.submit(request, caller: call.caller)
        return Answer(flow: FlowDocument(answer.flow), verdict: answer.verdict, token: answer.token)
    }
}
