import Administration
import BrokerAPI

extension StoreBackup: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.backUp()
    }
}
