import Administration
import BrokerAPI

extension GroupList: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        guard let group else { return Many(try await caller.groups()) }
        return Many([try await caller.group(group, after: after)])
    }
}
