import ProgramConfiguration
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PlacesTests {
    private static let home = ["HOME": "/home/ana", "XDG_RUNTIME_DIR": "/run/user/1000"]

    @Test("for one user everything is in his own folders") func user() {
        let places = Places(environment: Self.home, effectiveUID: 1000)
        #expect(!places.isService)
        #expect(places.socket == "/run/user/1000/tokenbroker/tokenbroker.sock")
        #expect(places.socketMode == 0o600)
        #expect(places.brokerConfiguration == "/home/ana/.config/tokenbroker/tokenbrokerd.yaml")
        #expect(places.tasksdConfiguration == "/home/ana/.config/tokenbroker/tasksd.yaml")
        #expect(places.policies == "/home/ana/.config/tokenbroker/policies")
        #expect(places.brokerState == "/home/ana/.local/state/tokenbroker")
        #expect(places.tasksdState == "/home/ana/.local/state/tasksd")
        #expect(places.tasksConfiguration == "/home/ana/.config/tasks/tasks.yaml")
        #expect(places.tasksData == "/home/ana/.local/share/tasks")
        #expect(Places.authoritySocket(beside: places.socket) == "/run/user/1000/tokenbroker/authority.sock")
    }

    @Test("root without folders of his own is a service") func service() {
        let places = Places(environment: ["HOME": "/root"], effectiveUID: 0)
        #expect(places.isService)
        #expect(places.socket == "/run/tokenbroker/tokenbroker.sock")
        #expect(places.socketMode == 0o666)
        #expect(places.brokerConfiguration == "/etc/tokenbroker/tokenbrokerd.yaml")
        #expect(places.policies == "/etc/tokenbroker/policies")
        #expect(places.brokerState == "/var/lib/tokenbroker")
        #expect(places.tasksdState == "/var/lib/tasksd")
        #expect(!Places(environment: Self.home, effectiveUID: 0).isService)
    }

    @Test("what systemd starts for the system is a service, whoever runs it") func systemd() {
        let environment = ["STATE_DIRECTORY": "/var/lib/private/tb:/var/lib/other", "CREDENTIALS_DIRECTORY": "/run/c"]
        let places = Places(environment: environment, effectiveUID: 990)
        #expect(places.isService)
        #expect(places.brokerState == "/var/lib/private/tb")
        #expect(places.cacheKey(stateDirectory: "/s").candidates == ["/run/c/cache-key", "/s/cache-key"])
        #expect(places.authorityKey(stateDirectory: "/s").created == "/s/authority-key")
    }

    @Test("the XDG folders are used, unless they are relative") func xdg() {
        let environment = [
            "HOME": "/home/ana", "XDG_CONFIG_HOME": "/c/", "XDG_STATE_HOME": "state", "XDG_DATA_HOME": "/d",
        ]
        let places = Places(environment: environment, effectiveUID: 1000)
        #expect(places.brokerConfiguration == "/c/tokenbroker/tokenbrokerd.yaml")
        #expect(places.brokerState == "/home/ana/.local/state/tokenbroker")
        #expect(places.tasksData == "/d/tasks")
        #expect(places.socket == "/run/user/1000/tokenbroker/tokenbroker.sock")
    }

    @Test("variables of our own go before everything") func overrides() {
        let environment = Self.home.merging(
            [
                "TOKENBROKER_SOCKET": "/s.sock", "TOKENBROKER_CACHE_KEY_FILE": "/k",
                "TOKENBROKER_AUTHORITY_KEY_FILE": "k",
            ]
        ) { _, new in new }
        let places = Places(environment: environment, effectiveUID: 1000)
        #expect(places.socket == "/s.sock")
        #expect(places.clientSockets == ["/s.sock"])
        #expect(Places.authoritySocket(beside: places.socket) == "/authority.sock")
        #expect(Places.authoritySocket(beside: "run/b.sock") == "run/authority.sock")
        #expect(Places.authoritySocket(beside: "b.sock") == "authority.sock")
        #expect(places.cacheKey(stateDirectory: "/s") == KeyFile(candidates: ["/k"], created: nil))
        #expect(places.authorityKey(stateDirectory: "/s") == KeyFile(candidates: ["k"], created: nil))
    }

    @Test("a client tries the user's socket, then the service's") func clients() {
        let sockets = Places(environment: Self.home, effectiveUID: 1000).clientSockets
        #expect(sockets == ["/run/user/1000/tokenbroker/tokenbroker.sock", "/run/tokenbroker/tokenbroker.sock"])
    }
}
