import Broker
import BrokerAPI

extension GroupList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let groups = try await broker.groups(
            group,
            after: after,
            caller: call.caller
        )
        return Many(groups.map { GroupSummary($0) })
    }
}

extension GroupSummary {
    init(_ answer: GroupAnswer) {
        self.init(group: answer.name, count: answer.count, members: answer.members)
    }
}
