import BrokerAPI
import FlowModel
import OAuth
import TestSupport
import Testing

@testable import BrokerRPC

/// Each member of a method's parameters must have an effect or be rejected.
///
/// A member has an effect if it changes a property of the request, and the service reads that property.
@Suite(.timeLimit(.minutes(5)))
struct EveryMemberTests {
    /// All methods.
    ///
    /// A test fails if a method in `MethodTable` is missing from this list.
    private static let methods: [any BrokerMethod.Type] = [
        RPCDiscover.self, BrokerHello.self, BrokerStatus.self, BrokerLock.self, BrokerUnlock.self, PolicyList.self,
        PolicyGet.self, AccountList.self, AccountGet.self, AccountUse.self, AcquireRequest.self, TokenList.self,
        TokenSubscribe.self, StartFlowRequest.self, FlowGet.self, FlowWait.self, FlowList.self, FlowSubmission.self,
        FlowAction.self,
        FlowCancel.self, SignOutRequest.self, AuditQuery.self, NewClient.self, ClientList.self, ClientRemove.self,
        UserList.self, UserShow.self, UserInvite.self, UserDisable.self, UserUnlock.self, UserExpirePassword.self,
        UserDelete.self,
        GroupList.self, GroupAdd.self, GroupRemove.self, KeysList.self, KeysRotate.self, KeysRevoke.self,
        AuditAll.self, StoreBackup.self, StoreKey.self, CheckLogin.self, CheckLogout.self, CheckStatusQuery.self,
        ImportedAccount.self, NewAuthority.self, AuthorityList.self, AuthorityRemove.self,
        CredentialList.self, CredentialEnrol.self, CredentialRemove.self,
    ]

    /// Sample values for string parameters, some of which are valid for each parameter.
    private static let texts: [JSONValue] = [
        "a", "bb", "de", "pt-BR", "0b9b3e2e-6c0f-4a6e-9d43-0d6fb1c5a111", "b2c_1_sign_in", "ann@example.org",
        "https://app.example/cb", "http://localhost/cb", "a passphrase",
    ]

    @Test("every method of the table is covered") func all() {
        let table = MethodTable.methods.map(\.description.name)
        #expect(Set(Self.methods.map { $0.description.name }) == Set(table) && Self.methods.count == table.count)
    }

    @Test("every member changes the request and is read, or is rejected by name") func walk() throws {
        let scan = try SourceScan()
        var failures: [String] = []
        for method in Self.methods {
            for field in method.description.fields {
                try look(at: field, of: method, path: field.name, scan, &failures) { .object($0) }
            }
        }
        #expect(failures == [])
    }

    /// Tests whether a member has an effect or is rejected, and appends a message to `failures` if not.
    ///
    /// `put` creates the method's parameters from the members of the object that contains the tested member.
    private func look(
        at field: Field,
        of method: any BrokerMethod.Type,
        path: String,
        _ scan: SourceScan,
        _ failures: inout [String],
        among siblings: [Field]? = nil,
        _ put: ([String: JSONValue]) -> JSONValue
    ) throws {
        let siblings = siblings ?? method.description.fields
        var found: Set<String> = []
        var isRefused = false
        // A required member with only one allowed value cannot change the request. The schema rejects all other values.
        if case .choice(let words) = field.schema, words.count == 1, field.isRequired { isRefused = true }
        for members in contexts(siblings.filter { $0.name != field.name }) {
            var dumps: [TypedDump] = []
            var written: Set<JSONValue?> = []
            for value in [nil] + samples(field.schema).map(Optional.some) {
                var all = members
                all[field.name] = value
                do throws(JSONRPCError) {
                    let request = try method.init(params: put(all).object ?? [:])
                    dumps.append(TypedDump(request))
                    // All secrets look alike in a dump, so their encoded values are compared.
                    written.insert(request.params[field.name])
                } catch {
                    // The samples satisfy the schema, so the method itself has rejected the value.
                    let member = error.data?["member"]?.string?.split(separator: ".").last
                    isRefused = isRefused || value != nil && member == Substring(field.name)
                }
            }
            for other in dumps.dropFirst() { found.formUnion(dumps[0].properties(differingFrom: other)) }
            if found.isEmpty, written.count > 1 { found.insert(field.name) }
            if isRefused || !found.isEmpty { break }
        }
        let name = "\(method.description.name) \(path)"
        if found.isEmpty, !isRefused { failures.append("\(name) changes nothing") }
        let isRead = try isRefused || found.contains { try scan.reads($0, where: Self.isService) }
        if !found.isEmpty, !isRead {
            failures.append("\(name) is read into \(found.sorted().joined(separator: ", ")), which nothing reads")
        }
        guard case .object(let inner) = field.schema else { return }
        let outer = contexts(siblings.filter { $0.name != field.name }).first ?? [:]
        for member in inner {
            try look(at: member, of: method, path: "\(path).\(member.name)", scan, &failures, among: inner) {
                put(outer.merging([field.name: .object($0)]) { $1 })
            }
        }
    }

    /// Whether a source file belongs to the service.
    ///
    /// Files that parse parameters, and files of clients, do not belong to the service.
    private static func isService(_ path: String, _ text: String) -> Bool {
        let others = ["BrokerAPI/", "BrokerClient/", "Terminal/", "BrokerCommands/", "TasksCommands/", "tokenbroker/"]
        return !others.contains(where: path.hasPrefix)
    }

    /// Returns sets of other members with which the member is tested.
    ///
    /// The first set contains the required members. Each further set adds or replaces one member.
    private func contexts(_ siblings: [Field]) -> [[String: JSONValue]] {
        let required = Dictionary(
            siblings.filter(\.isRequired).compactMap { field in samples(field.schema).first.map { (field.name, $0) } }
        ) { first, _ in first }
        return [required]
            + siblings.flatMap { field in
                samples(field.schema).map { required.merging([field.name: $0]) { $1 } }
            }
    }

    private func samples(_ schema: Schema) -> [JSONValue] {
        switch schema {
        case .string(let length): Self.texts.filter { length.contains($0.string?.unicodeScalars.count ?? 0) }
        case .uuid: ["0b6ff2b0-5d5b-4a4e-8a4e-0c7ad1a4b7f1"]
        case .integer(let range): [1, 2].filter(range.contains).map { .int($0) } + [.int(range.upperBound)]
        case .boolean: [true, false]
        case .choice(let words): words.map { .string($0) }
        case .list(let element, let count):
            (count.contains(0) ? [[]] : []) + samples(element).map { .array([$0]) }
        case .object(let fields):
            contexts(fields).prefix(3).map { .object($0) }
        case .map(let element, _): samples(element).map { .object(["name": $0]) }
        case .anyObject: [["name": "value"], [:]]
        }
    }
}
