import Administration
import BrokerAPI
import FlowModel

extension MethodTable {
    static let operators: [Method] = [
        .operators(NewClient.self) { request, caller in try await caller.add(request) },
        .operators(ClientList.self) { _, caller in try await caller.clients() },
        .operators(ClientRemove.self) { request, caller in
            try await caller.removeClient(request.client)
            return Removal(removed: request.client)
        },
        .operators(UserList.self) { request, caller in
            try await caller.users(after: request.after, limit: Int(request.limit ?? 100))
        },
        .operators(UserShow.self) { request, caller in try await caller.user(request.user) },
        .operators(UserInvite.self) { request, caller in
            try await caller.invite(request.email, days: request.days)
        },
        .operators(UserDisable.self) { request, caller in
            try await request.disabled ? caller.disable(request.user) : caller.enable(request.user)
        },
        .operators(UserUnlock.self) { request, caller in try await caller.unlock(request.user) },
        .operators(UserExpirePassword.self) { request, caller in try await caller.expirePassword(request.user) },
        .operators(UserDelete.self) { request, caller in
            try await caller.delete(request.user)
            return Removal(removed: request.user)
        },
        .operators(GroupList.self) { request, caller in
            guard let group = request.group else { return try await caller.groups() }
            return [try await caller.group(group, after: request.after)]
        },
        .operators(GroupAdd.self) { request, caller in
            try await caller.add(request.user, toGroup: request.group)
        },
        .operators(GroupRemove.self) { request, caller in
            try await caller.remove(request.user, fromGroup: request.group)
            return Removal(removed: request.user)
        },
        .operators(KeysList.self) { _, caller in try await caller.keys() },
        .operators(KeysRotate.self) { request, caller in try await caller.rotateKeys(algorithm: request.alg) },
        .operators(KeysRevoke.self) { request, caller in try await caller.revokeKey(request.kid) },
        .operators(AuditAll.self) { request, caller in
            try await caller.events(since: request.since ?? 0, limit: Int(request.limit ?? 100))
        },
        .operators(StoreBackup.self) { _, caller in try await caller.backUp() },
    ]
}
