import Broker
import BrokerAPI
import FlowModel

extension CheckLogin: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(
            FlowDocument(
                try await broker.logIn(
                    check,
                    policy: policy,
                    account: account,
                    credentials: credentials,
                    submissionID: submissionID,
                    caller: call.caller
                )
            )
        )
    }
}
