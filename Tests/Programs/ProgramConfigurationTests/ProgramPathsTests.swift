import Files
import Testing

@testable import ProgramConfiguration

@Suite(.timeLimit(.minutes(2)))
struct ProgramPathsTests {
    private static let home = ["HOME": "/home/ana", "XDG_RUNTIME_DIR": "/run/user/1000"]

    @Test("a per-user daemon uses the user's folders") func user() {
        let paths = ProgramPaths(environment: Self.home, effectiveUID: 1000)
        #expect(!paths.isService)
        #expect(paths.socket == "/run/user/1000/tokenbroker/tokenbroker.sock")
        #expect(paths.socketMode == 0o600)
        #expect(paths.brokerConfiguration == "/home/ana/.config/tokenbroker/tokenbrokerd.yaml")
        #expect(paths.tasksdConfiguration == "/home/ana/.config/tokenbroker/tasksd.yaml")
        #expect(paths.policies == "/home/ana/.config/tokenbroker/policies")
        #expect(paths.brokerState == "/home/ana/.local/state/tokenbroker")
        #expect(paths.tasksdState == "/home/ana/.local/state/tasksd")
        #expect(paths.tasksConfiguration == "/home/ana/.config/tasks/tasks.yaml")
        #expect(paths.tasksData == "/home/ana/.local/share/tasks")
        #expect(ProgramPaths.authoritySocket(beside: paths.socket) == "/run/user/1000/tokenbroker/authority.sock")
    }

    @Test("root without XDG folders runs as a service") func service() {
        let paths = ProgramPaths(environment: ["HOME": "/root"], effectiveUID: 0)
        #expect(paths.isService)
        #expect(paths.socket == "/run/tokenbroker/tokenbroker.sock")
        #expect(paths.socketMode == 0o666)
        #expect(paths.brokerConfiguration == "/etc/tokenbroker/tokenbrokerd.yaml")
        #expect(paths.policies == "/etc/tokenbroker/policies")
        #expect(paths.brokerState == "/var/lib/tokenbroker")
        #expect(paths.tasksdState == "/var/lib/tasksd")
        #expect(!ProgramPaths(environment: Self.home, effectiveUID: 0).isService)
    }

    @Test("a system unit of systemd runs as a service, under any user") func systemd() {
        let environment = ["STATE_DIRECTORY": "/var/lib/private/tb:/var/lib/other", "CREDENTIALS_DIRECTORY": "/run/c"]
        let paths = ProgramPaths(environment: environment, effectiveUID: 990)
        #expect(paths.isService)
        #expect(paths.brokerState == "/var/lib/private/tb")
        #expect(paths.cacheKey(stateDirectory: "/s").candidates == ["/run/c/cache-key", "/s/cache-key"])
        #expect(paths.authorityKey(stateDirectory: "/s").created == "/s/authority-key")
    }

    @Test("the XDG folders are used, unless they are relative") func xdg() {
        let environment = [
            "HOME": "/home/ana", "XDG_CONFIG_HOME": "/c/", "XDG_STATE_HOME": "state", "XDG_DATA_HOME": "/d",
        ]
        let paths = ProgramPaths(environment: environment, effectiveUID: 1000)
        #expect(paths.brokerConfiguration == "/c/tokenbroker/tokenbrokerd.yaml")
        #expect(paths.brokerState == "/home/ana/.local/state/tokenbroker")
        #expect(paths.tasksData == "/d/tasks")
        #expect(paths.socket == "/run/user/1000/tokenbroker/tokenbroker.sock")
    }

    @Test(
        "the daemon's socket is the first path that a client of the same user tries",
        arguments: [nil, "/run/user/7", "/run/user/7/", "run", ""],
        [0, 1000] as [UInt32]
    )
    func sameSocket(_ directory: String?, _ uid: UInt32) {
        let environment = directory.map { ["XDG_RUNTIME_DIR": $0] } ?? [:]
        let paths = ProgramPaths(environment: environment, effectiveUID: uid)
        #expect(paths.socket == BrokerSocketPath.all(runtimeDirectory: directory, uid: uid).first)
        #expect(paths.usesRuntimeDirectory == (paths.socket != BrokerSocketPath.service))
    }

    @Test("the project's own variables take precedence") func overrides() {
        let environment = Self.home.merging(
            [
                "TOKENBROKER_SOCKET": "/s.sock", "TOKENBROKER_CACHE_KEY_FILE": "/k",
                "TOKENBROKER_AUTHORITY_KEY_FILE": "k",
            ]
        ) { _, new in new }
        let paths = ProgramPaths(environment: environment, effectiveUID: 1000)
        #expect(paths.socket == "/s.sock")
        #expect(ProgramPaths.authoritySocket(beside: paths.socket) == "/authority.sock")
        #expect(ProgramPaths.authoritySocket(beside: "run/b.sock") == "run/authority.sock")
        #expect(ProgramPaths.authoritySocket(beside: "b.sock") == "authority.sock")
        #expect(paths.cacheKey(stateDirectory: "/s") == KeyFile(candidates: ["/k"], created: nil))
        #expect(paths.authorityKey(stateDirectory: "/s") == KeyFile(candidates: ["k"], created: nil))
    }
}
