import Administration
import BrokerAPI

extension ClientRemove: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.removeClient(client)
        return Answer(removed: client)
    }
}
