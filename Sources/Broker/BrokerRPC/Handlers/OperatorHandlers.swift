import Administration
import BrokerAPI
import FlowModel

extension NewClient: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.add(self)
    }
}

extension ClientList: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.clients()
    }
}

extension ClientRemove: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.removeClient(client)
        return Answer(removed: client)
    }
}

extension UserList: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.users(after: after, limit: Int(limit ?? 100))
    }
}

extension UserShow: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.user(user)
    }
}

extension UserInvite: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.invite(email, days: days)
    }
}

extension UserDisable: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await disabled ? caller.disable(user) : caller.enable(user)
    }
}

extension UserUnlock: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.unlock(user)
    }
}

extension UserExpirePassword: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.expirePassword(user)
    }
}

extension UserDelete: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.delete(user)
        return Answer(removed: user)
    }
}

extension GroupList: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        guard let group else { return try await caller.groups() }
        return [try await caller.group(group, after: after)]
    }
}

extension GroupAdd: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.add(user, toGroup: group)
    }
}

extension GroupRemove: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.remove(user, fromGroup: group)
        return Answer(removed: user)
    }
}

extension KeysList: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.keys()
    }
}

extension KeysRotate: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.rotateKeys(algorithm: alg)
    }
}

extension KeysRevoke: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.revokeKey(kid)
    }
}

extension AuditAll: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.events(since: since ?? 0, limit: Int(limit ?? 100))
    }
}

extension StoreBackup: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        try await caller.backUp()
    }
}
