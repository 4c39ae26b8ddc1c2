import Terminal

/// The sentences of the help of `tasks`, by the English ones.
enum TasksHelp {
    static let translated: [ScreenLanguage: [String: String]] = [
        .german: [
            "Keep a list of tasks that only you can read.": "Führt eine Liste von Aufgaben, die nur Sie lesen können.",
            "An ID may be any beginning of it that no other task has. The last sign-in is the current account; --account or TASKS_ACCOUNT names another one for one call.":
                "Für eine Kennung genügt ein Anfang, den keine andere Aufgabe hat. Das zuletzt angemeldete Konto ist das gewählte; --account oder TASKS_ACCOUNT nennt für einen Aufruf ein anderes.",
            "Tasks are kept on this machine: they can be read and changed where the API cannot be reached, and are brought up to date when it can.":
                "Aufgaben liegen auf diesem Rechner: Sie lassen sich lesen und ändern, wo der Server nicht zu erreichen ist, und werden abgeglichen, sobald er es ist.",
            "List the accounts; the current one has a star.": "Zeigt die Konten; das gewählte hat einen Stern.",
            "Add a task.": "Legt eine Aufgabe an.",
            "What is to be done.": "Was zu tun ist.",
            "The id it gets; made if not given.": "Ihre Kennung; sonst wird eine gewählt.",
            "Show your balance; you may have to prove more for it.":
                "Zeigt Ihren Kontostand; dafür kann ein weiterer Nachweis nötig sein.",
            "Show the edits that the API refused, and those that met another change, with both sides.":
                "Zeigt Änderungen, die der Server abgelehnt hat oder die auf andere trafen, mit beiden Seiten.",
            "Delete tasks.": "Löscht Aufgaben.",
            "Which ones.": "Welche.",
            "Mark tasks as done.": "Hakt Aufgaben ab.",
            "Change a task.": "Ändert eine Aufgabe.",
            "Which one.": "Welche.",
            "What is to be done instead.": "Was stattdessen zu tun ist.",
            "It is to be done again.": "Sie ist wieder zu tun.",
            "Print all tasks, those that are done too, as JSON, CSV or todo.txt.":
                "Gibt alle Aufgaben aus, auch erledigte, als JSON, CSV oder todo.txt.",
            "json, csv or todo.txt.": "json, csv oder todo.txt.",
            "Add the tasks of a file; one with the id of a task here changes that.":
                "Legt die Aufgaben einer Datei an; eine mit der Kennung einer hiesigen ändert diese.",
            "The file; - is stdin.": "Die Datei; - ist die Standardeingabe.",
            "json, csv or todo.txt; without it as the file's name ends.":
                "json, csv oder todo.txt; sonst, wie der Name der Datei endet.",
            "List the tasks that are to be done.": "Zeigt die Aufgaben, die zu tun sind.",
            "Remove tasks from this machine, not from the API.":
                "Entfernt Aufgaben von diesem Rechner, nicht vom Server.",
            "Only those that this holds for: complete == YES.": "Nur die, für die dies gilt: complete == YES.",
            "With the edits that the API does not have; they are lost.":
                "Auch Änderungen, die der Server nicht hat; sie gehen verloren.",
            "Decide an edit that was refused or is in conflict.":
                "Entscheidet eine Änderung, die abgelehnt oder im Konflikt ist.",
            "Which one; `conflicts` shows them.": "Welche; `conflicts` zeigt sie.",
            "Write the columns of your edit over the other one.":
                "Die Spalten Ihrer Änderung über die andere schreiben.",
            "Your edit is given up.": "Ihre Änderung wird aufgegeben.",
            "The task is deleted on both sides.": "Die Aufgabe wird auf beiden Seiten gelöscht.",
            "Bring deleted tasks back.": "Holt gelöschte Aufgaben zurück.",
            "Which ones; `list --deleted --all` shows them.": "Welche; `list --deleted --all` zeigt sie.",
            "Sign in; the account becomes the current one.": "Meldet Sie an; das Konto wird das gewählte.",
            "Remove tokens, sessions, flows and kept tasks of the current account, and revoke what renews them.":
                "Entfernt Token, Sitzungen, Abläufe und hiesige Aufgaben des gewählten Kontos und widerruft, was sie erneuert.",
            "Give up edits that the API does not have.": "Gibt Änderungen auf, die der Server nicht hat.",
            "Make an account; it becomes the current one.": "Legt ein Konto an; es wird das gewählte.",
            "Show the edits that the API does not have yet.": "Zeigt die Änderungen, die der Server noch nicht hat.",
            "Send the edits that wait, and fetch what changed.":
                "Sendet wartende Änderungen und holt, was sich geändert hat.",
            "Send only.": "Sendet nur.",
            "Fetch only.": "Holt nur.",
            "Fetch everything anew, and drop tasks that the API no longer has.":
                "Holt alles neu und verwirft Aufgaben, die der Server nicht mehr hat.",
            "Ask for each conflict.": "Fragt bei jedem Konflikt.",
            "Make an account the current one.": "Wählt ein Konto.",
            "Its id, the beginning of it, or its username.": "Seine Kennung, ihr Anfang oder der Benutzername.",
            "Show the current account.": "Zeigt das gewählte Konto.",
            "Show what the API is told about you, too.": "Zeigt auch, was der Server über Sie erfährt.",
            "Those that are done, too.": "Auch erledigte.",
            "Those that were deleted, too.": "Auch gelöschte.",
            "Instead of those to be done the ones that this holds for: priority < 3 AND text CONTAINS 'milk'.":
                "Statt derer, die zu tun sind, die, für die dies gilt: priority < 3 AND text CONTAINS 'Milch'.",
            "The columns to sort by, each with asc or desc: due desc,text.":
                "Die Spalten, nach denen sortiert wird, je mit asc oder desc: due desc,text.",
            "The columns to show: text,due,notes.": "Die gezeigten Spalten: text,due,notes.",
            "Show this many at most.": "Zeigt höchstens so viele.",
            "Leave this many out at the beginning.": "Lässt am Anfang so viele weg.",
            "Say how many there are in all, whatever --limit and --offset leave out.":
                "Sagt, wie viele es insgesamt sind, was auch --limit und --offset weglassen.",
            "A parameter for the API's own rules, NAME=VALUE; may be repeated.":
                "Ein Parameter für eigene Regeln des Servers, NAME=WERT; auch mehrmals.",
            "Stay off the network this once; changes wait for the next sync.":
                "Bleibt dieses Mal ohne Netz; Änderungen warten auf den nächsten Abgleich.",
            "The day it is due, 2026-12-24, tomorrow, +2d or friday, or a time, 2026-12-24T18:00:00Z; none removes it.":
                "Der Tag, an dem sie fällig ist, 2026-12-24, tomorrow, +2d oder friday, oder eine Zeit, 2026-12-24T18:00:00Z; none entfernt ihn.",
            "Notes; '' removes them.": "Notizen; '' entfernt sie.",
            "Tags; '' removes them.": "Schlagwörter; '' entfernt sie.",
            "1, 2 or 3; none removes it.": "1, 2 oder 3; none entfernt ihn.",
            "How long it takes, as a number; none removes it.": "Wie lange sie dauert, als Zahl; none entfernt es.",
            "The configuration; without it ~/.config/tasks/tasks.yaml.":
                "Die Konfiguration; sonst ~/.config/tasks/tasks.yaml.",
            "Where the current account is noted; without it ~/.local/share/tasks.":
                "Wo das gewählte Konto vermerkt ist; sonst ~/.local/share/tasks.",
            "The account, by its id, the beginning of it, or its username.":
                "Das Konto: seine Kennung, ihr Anfang oder der Benutzername.",
        ]
    ]
}
