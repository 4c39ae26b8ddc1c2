import Administration
import BrokerAPI
import FlowModel

extension NewClient: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.add(self)
    }
}
