import Administration
import BrokerAPI

extension ClientList: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        Many(try await caller.clients())
    }
}
