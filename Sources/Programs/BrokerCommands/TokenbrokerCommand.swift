import ArgumentParser
import BrokerAPI
import FlowModel
import ProgramConfiguration
import Terminal

struct TokenbrokerCommand: RootCommand {
    static let configuration = CommandConfiguration(
        "tokenbroker",
        "help.broker.tokenbrokerCommand",
        more: "help.broker.tokenbrokerCommand.more",
        version: version,
        groups: [
            CommandGroup(
                "help.group.tokens",
                [
                    Token.self, Tokens.self, Scopes.self, ListPolicies.self, RequestCommand.self, Exec.self,
                    CredentialGroup.self, Lock.self, Unlock.self,
                ]
            ),
            CommandGroup(
                "help.group.account",
                [
                    SignUp.self, SignIn.self, SignOut.self, Accounts.self, Use.self, WhoAmI.self, PasswordGroup.self,
                    ProfileGroup.self, PinGroup.self, TotpGroup.self, ProviderGroup.self, AuthorityGroup.self,
                    ImportGroup.self, Audit.self,
                ]
            ),
            CommandGroup("help.group.tools", [Status.self, Doctor.self, PolicyGroup.self]),
            CommandGroup(
                "help.group.operators",
                [ClientGroup.self, UserGroup.self, GroupGroup.self, KeysGroup.self, Backup.self, Restore.self]
            ),
        ]
    )

    static let version = Version.text
}
