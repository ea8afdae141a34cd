import os

DEBUG = False
HOST = "127.0.0.1"
PORT = 8000
TIMEOUT_SECONDS = 30
ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
DATABASE_URL = os.environ.get("DATABASE_URL", "sqlite:///app.db")
