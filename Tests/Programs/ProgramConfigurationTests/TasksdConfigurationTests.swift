import OAuth
import Policies
import ProgramConfiguration
import StrictYAML
import Tables
import Testing

@Suite(.timeLimit(.minutes(2)))
struct TasksdConfigurationTests {
    private func read(_ text: String) throws -> (TasksdConfiguration?, [String]) {
        let node = try YAMLDocument.parse(text, file: "f")
        let (configuration, problems) = TasksdConfiguration.read(
            node,
            folder: "/etc",
            authoritySockets: [AuthoritySocket(path: "/r/a.sock")]
        )
        return (configuration, problems.map(\.description))
    }

    @Test("an empty file serves each user's tasks for tokens of this machine's authority") func defaults() throws {
        let (configuration, problems) = try read("")
        #expect(problems.isEmpty, "\(problems)")
        let c = try #require(configuration)
        #expect(c.tables == [try TableDeclaration.todoitem.withAccessSaid])
        #expect(c.protect == ["/api/balance": "accessRestricted"])
        let trust = try #require(c.trust.first)
        #expect(trust.source == .followed([AuthoritySocket(path: "/r/a.sock")]))
        #expect(trust.base == "http://localhost:8420" && trust.tenant == "local" && trust.policies == nil)
        #expect(trust.audiences == ["tasks"] && trust.requiresScopes)
        #expect(c.server.listen.map(\.description) == ["127.0.0.1:3000", "[::1]:3000"])
    }

    @Test(
        "`listen` has its default value if it is missing or the same, and all other addresses are used as written",
        arguments: [
            ("", true), ("listen: [\"127.0.0.1:3000\", \"[::1]:3000\"]", true), ("listen: [\"[::1]:3000\"]", false),
            ("listen: [\"127.0.0.1:8420\", \"[::1]:8420\"]", false),
            ("listen: [\"192.0.2.1:3000\"]\nbehindProxy: true\n", false),
        ]
    )
    func listen(_ text: String, _ isDefault: Bool) throws {
        let server = try #require(try read(text).0?.server)
        #expect(server.isDefaultListen == isDefault)
        var leftOut: [ListenEndpoint] = []
        let available = server.available { leftOut.append($0) }
        #expect(available == server.listen && leftOut.isEmpty)
    }

    @Test("a protected path has a scope, and may have contexts and an age") func protected() throws {
        let (configuration, problems) = try read(
            """
            protect:
              /a: corp
              /b: {scope: corp, acrValues: ["2", "3"], maxAge: 300}
              /c: {scope: corp}
            """
        )
        #expect(problems.isEmpty, "\(problems)")
        let expected: [String: ResourceDemand] = [
            "/a": "corp", "/b": ResourceDemand(scope: "corp", acrValues: ["2", "3"], maxAge: 300), "/c": "corp",
        ]
        #expect(configuration?.protect == expected)
        let (nothing, refused) = try read("protect: {/a: {maxAge: 300}}")
        #expect(nothing == nil && refused.contains { $0.contains("scope") }, "\(refused)")
    }

    @Test("ports of this machine are trusted by number only, each in the valid range") func trustedLoopback() throws {
        let (configuration, problems) = try read("outgoing: {trustedLoopback: [3000, 65535]}")
        #expect(problems.isEmpty && configuration?.trustedLoopback == [3000, 65_535], "\(problems)")
        #expect(try read("").0?.trustedLoopback == [])
        for wrong in ["0", "65536", "localhost", "\"3000\""] {
            let (nothing, refused) = try read("outgoing: {trustedLoopback: [\(wrong)]}")
            #expect(nothing == nil && refused.contains { $0.contains("trustedLoopback") }, "\(refused)")
        }
        #expect(try read("outgoing: {proxy: none}").0 == nil)
    }

    @Test(
        "keys that are fetched over http cause a warning",
        arguments: ["http://localhost:1", "http://127.0.0.1:1"]
    )
    func httpTrust(_ authority: String) throws {
        let (configuration, problems) = try read("trust: [{authority: \"\(authority)\", base: \"http://localhost:1\"}]")
        #expect(configuration != nil)
        #expect(
            problems == [
                "f:1: warning: `trust`: a local process that takes the port of \(authority) can sign any token; use https or unix:"
            ]
        )
        for safe in ["https://login.example", "unix:/run/tokenbroker/authority.sock"] {
            #expect(try read("trust: [{authority: \"\(safe)\", base: \"http://localhost:1\"}]").1.isEmpty)
        }
    }

    @Test("values of the file are used") func own() throws {
        let (configuration, problems) = try read(
            """
            trust:
              - {authority: "https://login.example", base: "https://login.example", tenant: acme,
                 policies: [B2C_1_Sign_In], audiences: [a, b], scopes: ignored}
            tables:
              note:
                perUser: false
                access: {read: anonymous, delete: disabled}
                columns:
                  title: {type: string, required: true, minLength: 2, maxLength: 10, message: Say more}
                  level: {type: number, min: 0.5, max: 9, default: 1, enum: [1, 2.5]}
                  who: {type: string, set: oid, readOnly: true}
                  code: {type: string, pattern: "(a*)*b"}
            """
        )
        #expect(problems.isEmpty, "\(problems)")
        let c = try #require(configuration)
        #expect(c.trust.first?.source == .url("https://login.example"))
        #expect(c.trust.first?.policies == [try PolicyID("b2c_1_sign_in")])
        #expect(c.trust.first?.requiresScopes == false)
        let table = try #require(c.tables.first)
        #expect(table.columns.map(\.name) == ["title", "level", "who", "code"])
        // A column with a `pattern` gets a maximum length, because matching a megabyte of text would block all callers.
        #expect(table.column("code")?.maxLength == 4096)
        #expect(table.access(.read) == .anonymous && table.access(.delete) == .disabled && !table.isPerUser)
        #expect(table.column("level")?.allowed == [.number(1), .number(2.5)])
        #expect(table.column("level")?.defaultValue == .number(1))
        #expect(table.column("who")?.source == .oid)
        #expect(table.column("title")?.message == "Say more")
    }

    @Test(
        "an invalid value is refused with its line",
        arguments: [
            ("trusts: []", "f:1: unknown key `trusts`; did you mean `trust`?"),
            ("trust: []", "`trust` has 0 items; it must have at least 1"),
            ("trust: [{base: \"http://localhost:1\"}]", "`trust[0].authority` is missing"),
            (
                "trust: [{authority: \"unix:a.sock\", base: \"http://localhost:1\"}]",
                "must be unix: and the whole path of a socket"
            ),
            (
                "trust: [{authority: \"http://a.example\", base: \"http://localhost:1\"}]",
                "http is allowed for loopback addresses only"
            ),
            (
                "trust: [{authority: \"unix:/a\", base: \"http://localhost/x:1\"}]",
                "put the port after the host: http://localhost:1/x"
            ),
            (
                "trust: [{authority: \"unix:/a\", base: \"http://localhost:1\"}, {authority: \"unix:/b\", base: \"http://localhost:1\"}]",
                "`trust` has http://localhost:1/local twice"
            ),
            (
                "trust: [{authority: \"unix:/a\", base: \"http://localhost:1\", policies: some}]",
                "it must be all, or a list"
            ),
            ("listen: [\"0.0.0.0:3000\"]", "can be reached by other machines without TLS"),
            ("protect: {api: x}", "the name `protect.api` must be a path that begins with /"),
            ("cors: [\"*\"]", "`cors[0]` is *, which would allow every page to call"),
            ("cors: [\"https://a.example/x\"]", "remove the path: https://a.example"),
            ("cors: [\"https://a.example:443\"]", "has the port that browsers leave out"),
            ("cors: [\"http://a.example\"]", "http is allowed for loopback addresses only"),
            ("masterKeyFile: k", "`masterKeyFile`: /etc/k cannot be read"),
            ("applicationKeyFile: /", "`applicationKeyFile`: / is not a file"),
            ("tables: {}", "`tables` has 0 members; it must have at least 1"),
            ("tables: {t: {}}", "`tables.t.columns` is missing"),
            ("tables: {t: {columns: {id: {type: string}}}}", "`tables.t`: 'id' cannot be used as a column name"),
            ("tables: {t: {columns: {a: {type: string}, A: {type: string}}}}", "'A' cannot be used as a column name"),
            (
                "tables: {t: {columns: {a: {type: text}}}}",
                "`tables.t.columns.a.type` is text; it must be one of string"
            ),
            (
                "tables: {t: {columns: {a: {type: string}}}, T: {columns: {a: {type: string}}}}",
                "and `tables.t` differ only in case"
            ),
            (
                "tables: {t: {columns: {a: {type: number, default: x}}}}",
                "a value violates the column's own rule: 'a' must be a number"
            ),
            ("tables: {t: {columns: {a: {type: number, enum: [1], default: 2}}}}", "'a' must be one of 1"),
            ("tables: {t: {columns: {a: {type: string, min: 1}}}}", "`min` is for columns of type number"),
            ("tables: {t: {columns: {a: {type: number, min: 2, max: 1}}}}", "`min` is more than `max`"),
            (
                "tables: {t: {columns: {a: {type: string, minLength: 2, maxLength: 1}}}}",
                "`minLength` is more than `maxLength`"
            ),
            (
                "tables: {t: {columns: {a: {type: string}}, access: {read: anonymous}}}",
                "a table that is `perUser` must identify the user, so its access cannot be `anonymous`"
            ),
            ("tables: {t: {columns: {}}}", "`tables.t.columns` is empty, and `dynamicSchema` is off"),
            (
                "tables: {t: {columns: {a: {type: string}}, id: uuid}}",
                "`tables.t.id` is uuid; it must be one of string, integer"
            ),
            (
                "tables: {t: {columns: {a: {type: string}}, compat: v3}}",
                "`tables.t.compat` is v3; it must be one of v2, v1"
            ),
            ("tables: {t: {columns: {a: {type: string}}, hook: {}}}", "`tables.t.hook.url` is missing"),
            (
                "tables: {t: {columns: {a: {type: string}}, hook: {url: \"http://localhost:1\"}}}",
                "`tables.t.hook.url` must be https, or unix: and the path of a socket"
            ),
            (
                "tables: {t: {columns: {a: {type: string}}, hook: {url: \"unix:a\"}}}",
                "`tables.t.hook.url` must be unix: and the whole path of a socket"
            ),
            (
                "tables: {t: {columns: {a: {type: string}}, hook: {url: \"unix:/a\", operations: [purge]}}}",
                "`tables.t.hook.operations[0]` is purge"
            ),
            (
                "tables: {t: {columns: {a: {type: string}}, hook: {url: \"unix:/a\", timeoutSec: 61}}}",
                "`tables.t.hook.timeoutSec` is 61; it must be a whole number from 1 to 60"
            ),
            (
                "\n\ntables: {t: {columns: {a: {type: string, pattern: \"a(\"}}}}",
                "f:3: `tables.t.columns.a.pattern` is not a regular"
            ),
            ("tables: {t: {columns: {a: {type: string, pattern: \"(?=a)\"}}}}", "RFC 9485"),
            ("tables: {t: {columns: {a: {type: number, pattern: a}}}}", "`pattern` is for columns of type string"),
            (
                "tables: {t: {columns: {a: {type: string, pattern: a, maxLength: 4097}}}}",
                "`maxLength` is at most 4096 for a column with a `pattern`"
            ),
            ("tables: {t: {columns: {a: {type: string, pattern: a, default: b}}}}", "'a' must match the pattern a"),
            ("tables: {t: {columns: {a: {type: number, set: oid}}}}", "`set: oid` is for columns of type string"),
            ("tables: {t: {columns: {a: {type: string, set: now}}}}", "`set: now` is for columns of type date"),
            ("tables: {t: {columns: {a: {type: string, set: uuid, default: x}}}}", "so `default` has no effect"),
            (
                "tables: {t: {columns: {a: {type: string, readOnly: true, required: true}}}}",
                "it needs a default if it is required"
            ),
            (
                "tables: {t: {columns: {a: {type: string}}, seed: none.json}}",
                "`tables.t.seed`: /etc/none.json: cannot be read"
            ),
            ("tables: {t: {columns: {a: {type: string}}, tombstoneDays: 0}}", "from 1 to 3650"),
        ]
    )
    func refused(_ text: String, problem: String) throws {
        let (configuration, problems) = try read(text)
        #expect(configuration == nil)
        #expect(problems.contains { $0.contains(problem) }, "\(problems)")
    }

    @Test(
        "an invalid tasks.yaml is refused with its line",
        arguments: [
            (
                "api: http://localhost/tasks:3000",
                "f:1: `api` is http://localhost/tasks:3000; put the port after the host: http://localhost:3000/tasks"
            ),
            ("scope: [a]", "unknown key `scope`; did you mean `scopes`?"),
            ("policies: {signUp: x}", "`policies.signUp` names no policy"),
            ("sync: never", "`sync`"),
            ("seal: maybe", "`seal`"),
        ]
    )
    func tasks(_ text: String, problem: String) throws {
        let (configuration, problems) = TasksConfiguration.read(try YAMLDocument.parse(text, file: "f"))
        #expect(configuration == nil)
        #expect(problems.contains { $0.description.contains(problem) }, "\(problems)")
    }

    @Test("tasks are synced with every command and sealed, unless the file disables it") func offline() throws {
        let standard = try #require(TasksConfiguration.standard)
        #expect(standard.sync == .auto && standard.seals)
        let text = "sync: manual\nseal: false"
        let changed = try #require(TasksConfiguration.read(try YAMLDocument.parse(text, file: "f")).0)
        #expect(changed.sync == .manual && !changed.seals)
    }
}

extension TableDeclaration {
    /// A copy of this declaration that states the access of every verb, as a declaration read from a file does.
    fileprivate var withAccessSaid: TableDeclaration {
        var table = self
        for verb in Verb.allCases { table.access[verb] = access(verb) }
        return table
    }
}
