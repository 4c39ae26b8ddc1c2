import Administration
import BrokerAPI

extension UserList: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        Many(try await caller.users(after: after, limit: Int(limit ?? 100)))
    }
}
