"""What an audit of one's own mechanism needs beside an auditor: neighbours, a budget, a goal, words on each step."""
